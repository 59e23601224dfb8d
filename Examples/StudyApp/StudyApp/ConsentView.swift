import StudyDelivery
import SwiftUI

/// The pages of a consent.
struct ConsentView: View {
    let app: AppModel
    @Bindable var model: ConsentModel

    var body: some View {
        if let decision = model.decision {
            Ended(app: app, model: model, decision: decision)
        } else {
            Form {
                ProgressView(value: model.progress)
                if let summary = model.page.summary { Text(summary).font(.headline) }
                if !model.page.text.isEmpty { Text(model.page.text) }
                ForEach(model.page.items) { Item(model: model, item: $0) }
                Section {
                    Button("Continue") {
                        model.advance()
                        app.keep(model)
                    }
                    Button("Back") { model.back() }
                        .disabled(model.pageIndex == 0)
                }
            }
            .navigationTitle(model.page.title)
        }
    }

    private struct Item: View {
        @Bindable var model: ConsentModel
        let item: ConsentItem

        var body: some View {
            Section {
                if let detail = item.detail { Text(detail) }
                switch item.control {
                case .yesNo:
                    Picker(item.label, selection: $model[yesNo: item.id]) {
                        Text("Yes").tag(Bool?.some(true))
                        Text("No").tag(Bool?.some(false))
                    }
                    .pickerStyle(.inline)
                case .choice(let options):
                    Picker(item.label, selection: $model[choice: item.id]) {
                        ForEach(options, id: \.self) { Text($0).tag(String?.some($0)) }
                    }
                    .pickerStyle(.inline)
                case .text: TextField(item.label, text: $model[text: item.id])
                case .signature: SignaturePad(image: $model.signature)
                }
                if let problem = item.problem { Text(problem).foregroundStyle(.red) }
            }
        }
    }

    private struct Ended: View {
        let app: AppModel
        let model: ConsentModel
        let decision: ConsentDecision

        var body: some View {
            switch decision {
            case .signed(let consent):
                ProgressView()
                    .task { await app.accept(consent) }
            case .notUnderstood: again("Some answers were not right. Please read the text once more.")
            case .ineligible: again("You cannot take part in this study.")
            case .declined: again("You did not agree. Nothing was stored.")
            case .incomplete: again("Something is missing.")
            }
        }

        private func again(_ text: String) -> some View {
            VStack {
                Text(text)
                Button("Read again") { model.restart() }
            }
        }
    }
}
