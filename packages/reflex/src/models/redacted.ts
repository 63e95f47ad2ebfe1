import { Fault, type FaultData, faultData, faultJson, isFault, type Json, type Redact } from '../kernel/index.ts'
import type { ModelReply, Models } from './types.ts'

/**
 * Models that answer as `models` do, without the secrets that `redact` takes out of their replies and failures: a reply is
 * recorded, shown and acted upon as it comes from here, also the arguments of a call of a tool. The call redacts its progress itself.
 */
export function redactedModels(models: Models, redact: Redact): Models {
  return {
    get configured() {
      return models.configured
    },
    name: (request) => models.name(request),
    price: (request) => models.price(request),
    unpriced: (request) => models.unpriced(request),
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
export function redactedFault(fault: Fault, redact: Redact): Fault {
  const told = faultJson(faultData(fault))
  const clean = redact(told)
  if (clean === told) return fault
  const { code, message, verdict, ...details } = clean as unknown as FaultData
  return new Fault(code, message, verdict, details)
}
