// libxml2 and the C library, by whatever name the system has them as modules.
#if canImport(CLibXML2)
    @_exported import CLibXML2
#else
    @_exported import libxml2
#endif
#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#else
    @_exported import Darwin
#endif
