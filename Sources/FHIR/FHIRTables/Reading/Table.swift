/// The tables that are compiled in; the texts are generated from `schemas/fhir`.
enum Table {}
