import Foundation
import StudyDelivery

/// Whatever the bytes: an error of this library, or an envelope that is the same after writing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Data(UnsafeBufferPointer(start: start, count: count))
    do {
        let envelope = try C3ProEnvelope(parsing: bytes)
        guard try C3ProEnvelope(parsing: envelope.data) == envelope else { fatalError("it is not the same") }
        guard envelope.keyID?.description.contains("..") != true else {
            fatalError("a key id that leaves its folder")
        }
    } catch is StudyError {
    } catch {
        fatalError("another error: \(error)")
    }
    return 0
}
