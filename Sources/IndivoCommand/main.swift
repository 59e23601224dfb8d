print("indivo")
