"""What jobs read: facts derived from workflow files and a tree, without running anything.

Each module knows one kind of source and says what it sees and what it can't.
"""
