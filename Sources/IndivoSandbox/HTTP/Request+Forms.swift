import URLCoding

/// Paths, queries and forms as the real server reads them.
extension Request {
    /// The path with its percent-escapes decoded once; nil when what comes out is not UTF-8.
    var path: String? { PercentEncoding.decodeLeniently(rawPath, plusIsSpace: false) }

    var query: FormFields { FormFields(parsing: rawQuery) }

    /// The fields of a form body, as the real server's framework reads them: every body that is not multipart is taken
    /// for a URL-encoded form, whatever its type.
    var form: FormFields {
        let type = header("Content-Type") ?? ""
        if type.lowercased().hasPrefix("multipart/form-data") {
            return FormFields(multipart: body, contentType: type)
        }
        return FormFields(parsing: String(decoding: body, as: UTF8.self))
    }
}
