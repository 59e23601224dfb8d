// SDML
