print("sdml2swift")
