#if !canImport(X509)
#error("StudyFormats needs the trait Study of swift-indivo: .package(…, traits: [\"Study\"])")
#endif
