#if canImport(CLibCurl)
import CLibCurl
import Foundation
import HTTPTypes

/// One request on its way, and its response as it comes in.
///
/// Made by the caller, then handed to the thread of ``CurlLoop`` (through a lock) and touched by that
/// thread alone: hence the unchecked conformance.
final class CurlTransfer: @unchecked Sendable {
    private(set) var easy: UnsafeMutableRawPointer?
    private(set) var isFinished = false
    /// Who waits for the response; set before the transfer is handed over.
    var continuation: CurlLoop.Continuation?

    private let request: HTTPRequest
    private let target: HTTPTarget
    private let body: Body?
    private let limits: HTTPLimits
    private let authorityFile: String?

    private var headers: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private var wasSent = false
    private var isRepetition = false
    private var isTooLarge = false
    private var headBytes = 0
    private var headIsComplete = false
    private var response: HTTPResponse?
    private var answerBody = Data()
    /// The piece of an upload that is being sent, and where it is in the whole.
    private var piece = Data()
    private var pieceOffset = 0
    private var uploaded = 0
    private var uploadFailure: (any Error)?

    /// What a request carries.
    enum Body {
        case data(Data)
        /// Read while it is sent.
        case upload(BodySource)
    }

    init(
        request: HTTPRequest,
        target: HTTPTarget,
        body: Body?,
        limits: HTTPLimits,
        authorityFile: String?
    ) {
        self.request = request
        self.target = target
        self.body = body
        self.limits = limits
        self.authorityFile = authorityFile
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { errorText.deallocate() }

    /// The transfer that an easy handle belongs to.
    static func of(_ easy: UnsafeMutableRawPointer?) -> CurlTransfer? {
        var pointer: UnsafeMutableRawPointer?
        guard indivo_curl_get_pointer(easy, CURLINFO_PRIVATE, &pointer) == CURLE_OK, let pointer else {
            return nil
        }
        return from(pointer)
    }

    /// The loop keeps a transfer alive as long as its easy handle exists.
    private static func from(_ pointer: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(pointer).takeUnretainedValue()
    }

    // MARK: Setting up

    /// Makes the easy handle.
    func open() throws(HTTPTransportError) {
        guard let easy = curl_easy_init() else { throw error(.other, detail: "libcurl gave no handle") }
        self.easy = easy
        setLong(CURLOPT_NOSIGNAL, 1)
        _ = indivo_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        // What the functions below get.
        for option in [CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA] {
            _ = indivo_curl_set_pointer(easy, option, Unmanaged.passUnretained(self).toOpaque())
        }
        setAddress()
        try setFields()
        setMethodAndBody()
        setLong(CURLOPT_CONNECTTIMEOUT_MS, limits.connectTimeout.milliseconds)
        var deadline = limits.deadline
        if case .upload(let source) = body {
            deadline = limits.deadline(ofUpload: source.size)
            // A connection is dead if it transfers less than a byte a second for as long as a whole
            // request may take.
            setLong(CURLOPT_LOW_SPEED_LIMIT, 1)
            setLong(CURLOPT_LOW_SPEED_TIME, max(1, limits.deadline.milliseconds / 1000))
        }
        setLong(CURLOPT_TIMEOUT_MS, deadline.milliseconds)
        _ = indivo_curl_set_size(easy, CURLOPT_MAXFILESIZE_LARGE, Int(limits.maximumResponseBytes))
        _ = indivo_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, transfer in
            CurlTransfer.receive(bytes, size * count, transfer) { $0.takeHeaderLine($1) }
        }
        _ = indivo_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, transfer in
            CurlTransfer.receive(bytes, size * count, transfer) { $0.takeBody($1) }
        }
        _ = indivo_curl_set_prerequest(easy) { transfer, _, _, _, _ in
            transfer.map { CurlTransfer.from($0).mayBeSentNow() } == true
                ? Int32(CURL_PREREQFUNC_OK) : Int32(CURL_PREREQFUNC_ABORT)
        }
    }

    /// The address, sent literally, without a proxy or redirects.
    private func setAddress() {
        setString(CURLOPT_URL, target.origin + "/")
        setString(CURLOPT_REQUEST_TARGET, target.path)
        setString(CURLOPT_PROTOCOLS_STR, "http,https")
        setString(CURLOPT_PROXY, "")
        let options = [
            (CURLOPT_PATH_AS_IS, 1), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_HTTP_CONTENT_DECODING, 0),
        ]
        for (option, value) in options { setLong(option, value) }
        if let authorityFile {
            setString(CURLOPT_CAINFO, authorityFile)
            _ = indivo_curl_set_string(easy, CURLOPT_CAPATH, nil)
        }
        // A connection that lay idle may be closed by the server at the moment it is used again.
        setLong(CURLOPT_MAXAGE_CONN, max(1, limits.idleConnectionAge.milliseconds / 1000))
    }

    /// The fields as given; those that libcurl would add by itself are named without a value, which
    /// leaves them out.
    private func setFields() throws(HTTPTransportError) {
        var lines = ["Host: \(target.authority)", "Expect:"]
        if request.headerFields[.contentType] == nil { lines.append("Content-Type:") }
        for field in request.headerFields {
            switch field.name {
            case .contentLength, .transferEncoding, .expect: continue
            case _ where field.name.canonicalName == "host": continue
            default:
                lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
            }
        }
        for line in lines {
            guard let longer = curl_slist_append(headers, line) else {
                throw error(.other, detail: "out of memory")
            }
            headers = longer
        }
        _ = indivo_curl_set_list(easy, CURLOPT_HTTPHEADER, headers)
    }

    /// The method, and a body with its length; methods that usually have a body say `Content-Length: 0`
    /// without one.
    private func setMethodAndBody() {
        let method = request.method
        if case .upload(let source) = body {
            setLong(CURLOPT_POST, 1)
            _ = indivo_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, source.size)
            setLong(CURLOPT_UPLOAD_BUFFERSIZE, 512 << 10)
            _ = indivo_curl_set_pointer(easy, CURLOPT_READDATA, Unmanaged.passUnretained(self).toOpaque())
            _ = indivo_curl_set_reader(easy) { bytes, size, count, transfer in
                guard let bytes, let transfer else { return Int(CURL_READFUNC_ABORT) }
                return CurlTransfer.from(transfer).giveUpload(
                    UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                )
            }
        } else if body != nil || [.post, .put, .patch].contains(method) {
            let body = if case .data(let data) = body { data } else { Data() }
            setLong(CURLOPT_POST, 1)
            _ = indivo_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, body.count)
            body.withUnsafeBytes { bytes in
                // An empty body may have no address; libcurl reads none of its zero bytes.
                let start = bytes.bindMemory(to: CChar.self).baseAddress ?? UnsafePointer(errorText)
                _ = indivo_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, start)
            }
        } else {
            setLong(method == .head ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1)
        }
        setString(CURLOPT_CUSTOMREQUEST, method.rawValue)
    }

    private func setLong(_ option: CURLoption, _ value: Int) {
        _ = indivo_curl_set_long(easy, option, value)
    }

    private func setString(_ option: CURLoption, _ value: String) {
        _ = indivo_curl_set_string(easy, option, value)
    }

    // MARK: What libcurl calls

    /// - Returns: How many bytes were taken: all, or none, which ends the transfer.
    private static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?,
        _ count: Int,
        _ transfer: UnsafeMutableRawPointer?,
        _ take: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let bytes, let transfer,
            take(from(transfer), UnsafeRawBufferPointer(start: bytes, count: count))
        else { return 0 }
        return count
    }

    /// Called with a connection at hand, before the request goes out: true the first time only, so that
    /// libcurl does not send again what was lost on a connection that broke.
    private func mayBeSentNow() -> Bool {
        isRepetition = wasSent
        wasSent = true
        return !isRepetition
    }

    private func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        // No server's head is as long as this; libcurl itself sets no bound.
        isTooLarge = headBytes > 256 << 10
        if isTooLarge { return false }
        if line.starts(with: "HTTP/".utf8) {
            response = Self.statusLine(line)
            headIsComplete = false
        } else if !headIsComplete {
            headIsComplete = line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8)
            if let field = Self.field(line) { response?.headerFields.append(field) }
        }
        return true
    }

    private func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = answerBody.count + piece.count > limits.maximumResponseBytes
        if !isTooLarge { answerBody.append(contentsOf: piece) }
        return !isTooLarge
    }

    /// Fills a buffer with the next bytes of the upload.
    private func giveUpload(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard case .upload(let source) = body else { return Int(CURL_READFUNC_ABORT) }
        do {
            if uploaded == pieceOffset + piece.count {
                piece = try source.read(at: uploaded, count: 1 << 20)
                pieceOffset = uploaded
            }
        } catch {
            uploadFailure = error
            return Int(CURL_READFUNC_ABORT)
        }
        let part = piece.dropFirst(uploaded - pieceOffset).prefix(buffer.count)
        part.copyBytes(to: buffer)
        uploaded += part.count
        return part.count
    }

    /// `HTTP/1.1 200 OK`; the reason may be empty.
    private static func statusLine(_ line: UnsafeRawBufferPointer) -> HTTPResponse? {
        let text = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let code = Int(parts[1]), (100...999).contains(code) else { return nil }
        let reason = parts.count == 3 ? String(parts[2].filter { $0.isASCII && !$0.isNewline }) : ""
        return HTTPResponse(status: HTTPResponse.Status(code: code, reasonPhrase: reason))
    }

    /// `Name: value`; nil for the empty line that ends the head, and for what is not a field.
    private static func field(_ line: UnsafeRawBufferPointer) -> HTTPField? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return nil }
        let blanks = " \t\r\n".utf8
        let value = line[(colon + 1)...].drop { blanks.contains($0) }.reversed().drop {
            blanks.contains($0)
        }.reversed()
        return HTTPField(name: name, lenientValue: value)
    }

    // MARK: The end

    /// What became of the request.
    func result(_ code: CURLcode) -> Result<HTTPAnswer, any Error> {
        if let uploadFailure { return .failure(uploadFailure) }
        guard code == CURLE_OK, let response else { return .failure(failure(code)) }
        // libcurl accepts a head that ends with the connection, even in the middle of a line.
        guard headIsComplete else {
            return .failure(error(.responseLost, detail: "the head was cut short"))
        }
        return .success(HTTPAnswer(response: response, body: answerBody))
    }

    private func failure(_ code: CURLcode) -> HTTPTransportError {
        let said = String(cString: errorText)
        let detail = said.isEmpty ? String(cString: curl_easy_strerror(code)) : said
        if isTooLarge || code == CURLE_FILESIZE_EXCEEDED {
            return error(.responseTooLarge, detail: "more than \(limits.maximumResponseBytes) bytes")
        }
        if isRepetition {
            return error(
                .responseLost,
                detail: "a connection that was kept open was closed by the server"
            )
        }
        let kind: HTTPTransportError.Kind =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: .hostNotFound
            case CURLE_COULDNT_CONNECT: .cannotConnect
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
                CURLE_SSL_CIPHER,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
                CURLE_SSL_PINNEDPUBKEYNOTMATCH,
                CURLE_SSL_CLIENTCERT:
                .tls
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
                CURLE_OK:
                .malformedResponse
            case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE: .responseLost
            case CURLE_URL_MALFORMAT: .invalidRequest
            default: .other
            }
        return error(kind, detail: detail)
    }

    /// An error about this transfer. Whether the request went out is known: libcurl asks before it sends.
    func error(_ kind: HTTPTransportError.Kind, detail: String) -> HTTPTransportError {
        HTTPTransportError(
            kind: kind,
            server: target.authority,
            mayHaveReachedServer: wasSent,
            detail: detail
        )
    }

    /// Frees the easy handle; the transfer is over.
    func close() {
        isFinished = true
        curl_easy_cleanup(easy)
        curl_slist_free_all(headers)
        easy = nil
        headers = nil
    }
}
#endif
