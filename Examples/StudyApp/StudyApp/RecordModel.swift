import Foundation
import Indivo
import Observation

/// The record of the person, whose session the keychain keeps.
@MainActor @Observable
final class RecordModel {
    private(set) var titles: [String] = []
    private(set) var problem: String?
    private var record: IndivoRecord?

    var isLoggedIn: Bool { record != nil }

    /// Reads the medications; logs in first where no session is kept.
    ///
    /// - Parameter browse: Shows a page until it leads to the app's URL scheme, and gives that URL. A login
    ///   shows two: one to choose the record, one to agree.
    func read(_ browse: @escaping (URL) async throws -> URL) async {
        do {
            let record = try await openRecord(browse)
            self.record = record
            let medications = try await record.reports(of: Medication.self).all()
            titles = medications.map { $0.drugName?.title ?? "?" }
            problem = nil
        } catch {
            problem = "\(error)"
        }
    }

    private func openRecord(_ browse: (URL) async throws -> URL) async throws -> IndivoRecord {
        if let record { return record }
        if let kept = try await Study.server.keptRecords().last { return kept }
        let receiver = URLSchemeReceiver(scheme: Study.callbackScheme)
        let record = try await Study.server.selectRecord(callback: receiver) { url in
            receiver.receive(try await browse(url))
        }
        try await record.keepSession()
        return record
    }
}
