import Foundation

// What swift-certificates takes of Security where there is one.

public typealias CFData = Data

public final class SecCertificate {
    fileprivate let encoded: CFData

    fileprivate init(_ encoded: CFData) { self.encoded = encoded }
}

public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { certificate.encoded }

public func SecCertificateCreateWithData(_: AnyObject?, _ data: CFData) -> SecCertificate? {
    SecCertificate(data)
}
