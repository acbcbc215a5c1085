// Front page to come.
