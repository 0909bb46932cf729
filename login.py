def login(): pass
