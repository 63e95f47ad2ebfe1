import { Fault, type FaultData, faultData, faultJson, isFault, type Json, type Redactor } from '../kernel/index.ts'
import type { ModelReply, Models } from './types.ts'

/**
 * Models that answer as `models` do, without the secrets that `redact` takes out of their replies and failures: a reply is
 * recorded, shown and acted upon as it comes from here, also the arguments of a call of a tool. The call redacts its progress itself.
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

/** The fault itself if it holds no secret, else one like it without them. */
export function redactedFault(fault: Fault, redact: Redactor): Fault {
  const json = faultJson(faultData(fault))
  const clean = redact(json)
  if (clean === json) return fault
  const { code, message, verdict, ...details } = clean as unknown as FaultData
  return new Fault(code, message, verdict, details)
}
