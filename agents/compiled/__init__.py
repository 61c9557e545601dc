"""What compiled agents and learners share: blocks of memory, hash tables, random legal actions."""
