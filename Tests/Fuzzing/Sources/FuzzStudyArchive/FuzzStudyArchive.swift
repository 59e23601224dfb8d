import Foundation
import HTTPCalls

@testable import StudyDelivery
@testable import StudyFormats

/// Whatever the bytes, as a packed archive and as a MIME archive: an error of this library, or files with
/// plain names that can be read or say why not.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let source = BodySource.data(Data(UnsafeBufferPointer(start: start, count: count)))
    for read in [PackedArchive.read, MIMEArchive.read] {
        do {
            for file in try read(source, ArchiveLimits()).files {
                guard !file.info.name.contains("/"), file.info.name != ".." else {
                    fatalError("a name that is a path")
                }
                var size = 0
                try file.read { size += $0.count }
                guard size <= count else { fatalError("more bytes than there are") }
            }
        } catch is StudyError {
        } catch {
            fatalError("another error: \(error)")
        }
    }
    return 0
}
