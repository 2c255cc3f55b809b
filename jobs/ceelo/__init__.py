"""What the commands do in ways of Cee-lo's own: its rules in words, its estimates, its replays."""
