-- wrk.lua: sends the requests of a file over and over, for wrk: the load generator that is not ours.
--
--   wrk ... -s bench/wrk.lua URL -- OPERATION FILE [DATE]   FILE: a JSON body to a line; with DATE each is signed as of then: what the
--                                                          Authorization header has to be, a tab, the body
--
-- All requests are built before the clock starts; while it runs, a thread only takes the next one. Threads start at
-- different places, so that they do not ask for the same item at the same time. At the end one line of JSON.

local requests, nextRequest = {}, 0
local threads = 0

function setup(thread)
   thread:set('number', threads)
   threads = threads + 1
end

function init(args)
   local operation, file, date = args[1], args[2], args[3]
   local headers = {
      ['Content-Type'] = 'application/x-amz-json-1.0',
      ['X-Amz-Date'] = date or '20260101T000000Z',
      ['X-Amz-Target'] = 'DynamoDB_20120810.' .. operation,
      ['Authorization'] = 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, '
         .. 'SignedHeaders=host;x-amz-date;x-amz-target, Signature=' .. string.rep('0123456789abcdef', 4),
   }
   for body in io.lines(file) do
      if date then headers['Authorization'], body = string.match(body, '^([^\t]*)\t(.*)$') end
      requests[#requests + 1] = wrk.format('POST', nil, headers, body)
   end
   nextRequest = number * 997 % #requests
end

function request()
   nextRequest = nextRequest % #requests + 1
   return requests[nextRequest]
end

function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '{"requests":%d,"seconds":%.6f,"bytes_in":%d,"errors":%d,"p50":%.0f,"p90":%.0f,"p99":%.0f,"p999":%.0f,"max":%.0f}\n',
      summary.requests, summary.duration / 1e6, summary.bytes,
      errors.connect + errors.read + errors.write + errors.status + errors.timeout,
      latency:percentile(50), latency:percentile(90), latency:percentile(99), latency:percentile(99.9), latency.max))
end
