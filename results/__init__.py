"""Reads run folders and answers from them; knows nothing of the simulator that filled them."""
