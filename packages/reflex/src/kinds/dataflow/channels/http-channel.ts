import { type Call, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { RunSettings } from '../../../policy/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { Channel } from '../adapter/host-file.ts'
import { faults } from '../run/faults.ts'
import type { SentIntent } from './frames.ts'

type HttpChannel = Extract<Channel, { type: 'http' }>

/** Returns the headers of a request. A value that names a variable of the environment is read when the request is sent, and never recorded. */
export function headersOf({ headers = {} }: HttpChannel, variable: KindWorld['variable'], key: string): Record<string, string> {
  const own = Object.entries(headers).map(
    ([name, value]) => [name, typeof value === 'string' ? value : (variable(value.env) ?? '')] as const,
  )
  return { ...Object.fromEntries(own), 'Content-Type': 'application/json', ...(key === '' ? {} : { 'Idempotency-Key': key }) }
}

/**
 * Posts an intent with its id as `Idempotency-Key`. A status from 200 to 299 accepts it, one from 400 to 499 refuses it; after any other, and
 * after the time, its outcome is unknown: a keyed channel gets it once more, then `R1385` is thrown.
 */
export async function sendByHttp(
  request: {
    readonly channel: string
    readonly by: HttpChannel
    readonly intent: SentIntent
    readonly timeout: number
    readonly keyed?: boolean
  },
  call: Call<RunSettings>,
  { tools, toolCall, variable }: Pick<KindWorld, 'tools' | 'toolCall' | 'variable'>,
): Promise<JsonObject> {
  const { channel, by, intent, timeout, keyed = false } = request
  const prepared = tools.prepare('http', {
    method: 'POST',
    url: by.url,
    headers: headersOf(by, variable, intent.intent_id),
    body: JSON.stringify(intent),
    timeout,
    limit: 10_000,
  })
  for (let attempt = 0; ; attempt++) {
    const status = await prepared.run(toolCall(call)).then(statusOf, (thrown: unknown) => {
      if (keyed && attempt === 0 && !call.signal.aborted) return undefined
      throw faults.make('R1385', `channel ${channel} cannot be reached, so the outcome of ${intent.kind} is unknown`, {
        rule: 'egress_io',
        path: channel,
        cause: thrown,
      })
    })
    if (status !== undefined && status >= 200 && status < 300) return { status: 'accepted', acceptance: 'durable', http: status }
    if (status !== undefined && status >= 400 && status < 500)
      return { status: 'refused', why: `channel ${channel} refused ${intent.kind} with the status ${status}` }
    if (status === undefined || (keyed && attempt === 0)) continue
    throw faults.make('R1385', `channel ${channel} answered ${intent.kind} with the status ${status}, so its outcome is unknown`, {
      rule: 'egress_io',
      path: channel,
    })
  }
}

function statusOf(answer: Json): number {
  return isObject(answer) && typeof answer.status === 'number' ? answer.status : 0
}
