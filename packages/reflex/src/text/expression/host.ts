import type { CelFunction, ExpressionFunction, ExpressionType } from './functions.ts'
import { harmless } from '../harmless.ts'
import { Refusal, fromJson, phraseOf, toJson, typeNameOf, type Value } from './values.ts'

/** Calls a function of the host with JSON and takes JSON back; whatever it throws or gives else is a failure. */
export function callHost(host: ExpressionFunction): Pick<CelFunction, 'call'> {
  return {
    call(args, meter) {
      const given = []
      for (const [i, arg] of args.entries()) {
        const wanted = host.params[i] ?? 'any'
        if (!fits(arg, wanted)) return new Refusal('type', `${host.name}() takes ${wanted} as argument ${i + 1}, not ${phraseOf(arg)}`)
        const json = toJson(arg, meter)
        if (json instanceof Refusal) return json
        given.push(json)
      }
      const answer = ask(host, given)
      if (answer instanceof Refusal || fits(answer, host.returns)) return answer
      return new Refusal('function', `${host.name}() gave ${phraseOf(answer)}, not ${host.returns}`)
    },
  }
}

function ask(host: ExpressionFunction, given: Parameters<ExpressionFunction['call']>): Value | Refusal {
  try {
    const answer: unknown = host.call(...given)
    const isPromise = answer instanceof Promise
    // Nobody waits for the promise: were it to fail, the process would die of it.
    if (isPromise) answer.catch(() => undefined)
    return isPromise ? new Refusal('function', `${host.name}() gave a promise, not a value`) : fromJson(answer)
  } catch (error) {
    return new Refusal('function', `${host.name}() failed: ${messageOf(error)}`)
  }
}

function messageOf(error: unknown): string {
  return harmless(error instanceof Error ? error.message : String(error)).slice(0, 200)
}

function fits(value: Value, type: ExpressionType): boolean {
  if (type === 'any') return true
  const name = typeNameOf(value)
  return name === (type === 'string' ? 'text' : type)
}
