import AuthenticationServices
import Indivo
import SwiftUI

/// The participant's own record: logging in, and what is in it.
struct RecordView: View {
    @State private var model = RecordModel()
    @Environment(\.webAuthenticationSession) private var browser

    var body: some View {
        ForEach(model.titles, id: \.self) { Text($0) }
        if let problem = model.problem { Text(problem).foregroundStyle(.red) }
        Button(model.isLoggedIn ? "Read again" : "Log in to your record") {
            Task {
                await model.read { url in
                    try await browser.authenticate(using: url, callbackURLScheme: Study.callbackScheme)
                }
            }
        }
    }
}
