"""What the commands do in ways of Cheerio's own: its rules in words, its estimates, its replays."""
