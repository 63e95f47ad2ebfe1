import { copyJson, type Fault, faultJson, isFault, type Json, type Redactor } from '../kernel/index.ts'
import { RECORDING_VERSION, requestDigest } from './recorded.ts'
import type { ModelReply, ModelRequest, Models } from './types.ts'

/**
 * Returns models that answer as `models` do and write each reply and each failure as a line of a recording for
 * `recordedModels`. An aborted call writes no line. The content of a request is not written, only its digest.
 *
 * `write` gets one line with its line end; its errors are thrown on, because an incomplete recording is useless.
 * `redact` removes secrets from each line.
 */
export function recorder(models: Models, write: (line: string) => void, redact: Redactor = (value) => value): Models {
  const put = (request: ModelRequest, key: string, outcome: { readonly reply: ModelReply } | { readonly fault: Json }): void => {
    const label = request.label === undefined ? {} : { label: request.label }
    const entry = copyJson(
      JSON.parse(JSON.stringify({ v: RECORDING_VERSION, ...label, request: requestDigest(request, key), ...outcome })),
      'recording',
    )
    write(`${JSON.stringify(redact(entry))}\n`)
  }
  return {
    get configured() {
      return models.configured
    },
    name: (request) => models.name(request),
    price: (request) => models.price(request),
    unpricedModels: (request) => models.unpricedModels(request),
    async generate(request, call) {
      let reply: ModelReply
      try {
        reply = await models.generate(request, call)
      } catch (thrown) {
        if (isFault(thrown) && !call.signal.aborted && thrown.verdict !== 'wait')
          put(request, call.key, { fault: faultJson(thrown satisfies Fault) })
        throw thrown
      }
      put(request, call.key, { reply })
      return reply
    },
  }
}
