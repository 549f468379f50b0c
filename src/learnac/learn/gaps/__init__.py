"""Learning from rows with gaps. Values are taken to be missing at random: that one is missing says nothing about it."""
