import Surveys
import SwiftUI

/// A page of a survey.
struct SurveyView: View {
    let model: SurveyModel
    let participation: Participation

    var body: some View {
        switch model.state {
        case .completed(let response):
            ProgressView()
                .task { await participation.finish(response) }
        case .asking:
            Form {
                ProgressView(value: model.page.progress.fraction)
                ForEach(model.page.allItems) { ItemView(model: model, item: $0) }
                Section {
                    Button(model.page.isLast ? "Send" : "Next") { model.advance() }
                    Button("Back") { model.back() }
                        .disabled(model.page.isFirst)
                    Button("Go on later") { Task { await participation.close() } }
                    if case .failed(let reason) = model.saving { Text(reason).foregroundStyle(.red) }
                }
            }
            .navigationTitle(model.page.title ?? "")
        }
    }
}

/// An item of a page: a heading, a text, a value, or a question with what is wrong with it.
private struct ItemView: View {
    let model: SurveyModel
    let item: PresentedItem

    var body: some View {
        Section {
            switch item.kind {
            case .group: Text(item.label).font(.headline)
            case .display: Text(item.label)
            case .output: Text("\(item.label): \(item.answerText)")
            case .question(let control):
                Text(item.item.isRequired ? "\(item.label) *" : item.label)
                ForEach(item.help, id: \.self) { Text($0).font(.footnote) }
                ControlView(model: model, item: item, control: control)
            }
            ForEach(item.problems, id: \.self) { Text($0).foregroundStyle(.red) }
            if item.canAddRepetition { Button("Add another") { model.addRepetition(after: item.id) } }
            if item.canRemoveRepetition { Button("Remove") { model.removeRepetition(item.id) } }
        }
    }
}

/// The control of a question, bound to the model.
private struct ControlView: View {
    @Bindable var model: SurveyModel
    let item: PresentedItem
    let control: SurveyControl

    var body: some View {
        switch control {
        case .yesNo, .radioButtons: picker.pickerStyle(.inline)
        case .menu: picker.pickerStyle(.menu)
        case .checkboxes:
            ForEach(item.choices) { choice in
                Toggle(choice.label, isOn: $model[isChosen: choice.id, of: item.id])
            }
        case .search:
            TextField("Search", text: $model[search: item.id])
            Text(item.searchNote ?? "").font(.footnote)
            if item.item.repeats {
                ForEach(item.choices) { choice in
                    Toggle(choice.label, isOn: $model[isChosen: choice.id, of: item.id])
                }
            } else {
                picker.pickerStyle(.inline)
            }
        case .number(_, let slider?): ForEach(item.fields) { numberSlider($0, slider) }
        case .number, .quantity:
            ForEach(item.fields) { field in
                TextField(item.placeholder ?? "", text: $model[text: field.id])
                    .keyboardType(.decimalPad)
                if control == .quantity { TextField("Unit", text: $model[unit: field.id]) }
            }
        case .date: dates(.date)
        case .dateTime: dates([.date, .hourAndMinute])
        case .time: dates(.hourAndMinute)
        case .attachment: Text("Files are not taken by this example.")
        case .text, .textArea: texts
        }
        if control.isChoice { texts }
    }

    private var picker: some View {
        Picker(item.label, selection: $model[chosen: item.id]) {
            ForEach(item.choices) { choice in
                Text(choice.label).tag(String?.some(choice.id))
            }
        }
    }

    private var texts: some View {
        ForEach(item.fields) { field in
            TextField(
                field.id.isOther ? item.otherLabel : item.placeholder ?? "",
                text: $model[text: field.id]
            )
        }
    }

    private func numberSlider(_ field: SurveyField, _ slider: SurveyControl.Slider) -> some View {
        let lower = Double(slider.minimum.description) ?? 0
        let upper = Double(slider.maximum.description) ?? 1
        return Slider(value: $model[number: field.id], in: lower...upper, step: Double(slider.step ?? 1))
    }

    private func dates(_ components: DatePickerComponents) -> some View {
        ForEach(item.fields) { field in
            DatePicker(field.text, selection: $model[date: field.id], displayedComponents: components)
        }
    }
}
