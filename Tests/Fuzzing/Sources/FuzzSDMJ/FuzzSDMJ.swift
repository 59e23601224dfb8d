import Foundation
import Indivo

/// Whatever the JSON: an error, or values; models are the same once they were written and read again. The
/// first byte says what it is read as.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start else { return 0 }
    let json = Data(UnsafeBufferPointer(start: start + 1, count: count - 1))
    switch start[0] % 3 {
    case 0: models(json)
    case 1: manifest(json)
    default: manifests(json)
    }
    return 0
}

private func models(_ json: Data) {
    var problems: [DocumentError] = []
    let leniently = try? SDMXDocument(json: json, problems: &problems)
    let file: SDMXDocument
    do {
        file = try SDMXDocument(json: json)
    } catch is SDMJError {
        return
    } catch is DocumentError {
        return
    } catch {
        fatalError("another error: \(error)")
    }
    guard leniently?.models == file.models, problems.isEmpty else {
        fatalError("leniently it reads otherwise")
    }
    // What XML has no character for, or what is too deep for it, is not written.
    guard let written = try? file.json() else { return }
    guard let again = try? SDMXDocument(json: written) else { fatalError("what was written cannot be read") }
    guard again.models == file.models else { fatalError("the models changed") }
    guard (try? again.json()) == written else { fatalError("what was written is written otherwise") }
}

private func manifest(_ json: Data) { readsOrRefuses { try AppManifest.read(json: json) } }

private func manifests(_ json: Data) { readsOrRefuses { try AppManifest.readList(json: json) } }

/// Whatever the JSON: the same value twice, or an error that says where.
private func readsOrRefuses<Value: Equatable>(_ read: () throws -> Value) {
    do {
        let value = try read()
        guard (try? read()) == value else { fatalError("it reads otherwise") }
    } catch is SDMJError {
    } catch is DocumentError {
    } catch {
        fatalError("another error: \(error)")
    }
}
