"""The commands of campaigns: each is loaded when it is called."""
