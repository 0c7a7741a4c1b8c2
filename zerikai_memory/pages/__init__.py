"""Pages for a browser, each one file that needs nothing else: no script, no request, light and dark, on any width."""
