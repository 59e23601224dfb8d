import Foundation

// The snippets of the README, on the files that the arguments name: report.xml, bundle.json,
// questionnaire.json.
let files = CommandLine.arguments.dropFirst().map { URL(filePath: $0) }
guard files.count == 3 else {
    print("usage: Snippets REPORT BUNDLE QUESTIONNAIRE")
    exit(2)
}
print(try titles(in: files[0]))
try read(files[1])
print(try answer(files[2]).tree.text(.pretty))
