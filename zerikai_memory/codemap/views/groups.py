"""The groups of entry points, in the order a reader asks for them."""

COMMAND = "command line"
MAIN = "run directly"
SERVER = "server"
EXPORT = "package entry"
EVENT = "events, tasks and plugins"
CONFIG = "configuration"
TEST = "tests"
ORDER = (COMMAND, MAIN, SERVER, EXPORT, EVENT, CONFIG, TEST)
