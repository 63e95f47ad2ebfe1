import { Fault, type FaultData, faultData, faultJson, isFault, type Json, type Redactor } from '../kernel/index.ts'
import type { ModelReply, Models } from './types.ts'

/**
 * Returns models that answer as `models` do, with secrets removed from replies and failures by `redact`. Replies are
 * recorded, shown and acted upon in this form, including the arguments of tool calls. The call redacts its progress
 * itself.
 */
export function redactedModels(models: Models, redact: Redactor): Models {
  return {
    get configured() {
      return models.configured
    },
    name: (request) => models.name(request),
    price: (request) => models.price(request),
    unpricedModels: (request) => models.unpricedModels(request),
    async generate(request, call) {
      try {
        return redact((await models.generate(request, call)) as unknown as Json) as unknown as ModelReply
      } catch (thrown) {
        throw isFault(thrown) ? redactedFault(thrown, redact) : thrown
      }
    },
  }
}

/** Returns the fault itself if it contains no secret, else a copy without the secrets. */
export function redactedFault(fault: Fault, redact: Redactor): Fault {
  const json = faultJson(faultData(fault))
  const clean = redact(json)
  if (clean === json) return fault
  const { code, message, verdict, ...details } = clean as unknown as FaultData
  return new Fault(code, message, verdict, details)
}
