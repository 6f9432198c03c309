"""Getting data sets: download, archives, conversions, and the user's list of what is where."""
