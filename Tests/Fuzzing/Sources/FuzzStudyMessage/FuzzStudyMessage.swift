import Foundation
import HTTPCalls
import StudyDelivery

private let key: StudyPrivateKey = {
    guard let key = try? StudyPrivateKey(bits: 2048) else { fatalError("no key") }
    return key
}()

/// Whatever the bytes: an error of this library, or a message that cannot be decrypted by a key that nobody
/// encrypted for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Data(UnsafeBufferPointer(start: start, count: count))
    do {
        let message = try CMSMessage(.data(bytes))
        _ = message.recipients.map(\.description)
        try message.decrypt(with: key) { _ in }
        // PKCS#1 gives a random key, under which padding may be right by chance.
        guard !message.cipher.isAuthenticated else { fatalError("it was authenticated by nobody") }
    } catch let error as StudyError {
        if case .malformed(_, let offset?, _) = error {
            guard (0...count).contains(offset) else { fatalError("an error outside the message") }
        }
    } catch {
        fatalError("another error: \(error)")
    }
    return 0
}
