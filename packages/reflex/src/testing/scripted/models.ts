import type { Host } from '../../kernel/index.ts'
import { createModels, faults, FREE, type ModelRequest, type Models, type ScriptedReply, scriptedModel } from '../../models/index.ts'
import { suggest } from '../../text/index.ts'
import { jsonSchemaIssues } from '../../text/json-schema/schema-findings.ts'
import { entryFor, TurnOrder, type Outside } from './outside.ts'
import type { ReplyScript, ScriptedOptions } from './script.ts'

const NAME = 'scripted'

/** Returns models that answer from a script, under any model name. They throw `R4020` where the script has no reply. */
export function scriptedModels(replies: ScriptedOptions['models'] = {}, outside: Outside, host: Host): Models {
  const order = new TurnOrder()
  const replyTo = (request: ModelRequest): ReplyScript => {
    if (typeof replies === 'function') return replies
    const entry = entryFor(replies, request.label ?? '')
    const reply = entry === undefined ? undefined : replies[entry]
    const next = entry !== undefined && isList(reply) ? order.next(entry, reply) : reply
    if (next === undefined) throw noReply(request, Object.keys(replies))
    return next
  }
  const model = scriptedModel((request, call) => {
    outside.record('model', request.label ?? '', request, call.key)
    const reply = replyTo(request)
    if (typeof reply === 'function') return outside.waitForTest(() => reply(request, call))
    return reply as ScriptedReply
  }, NAME)
  const models = createModels({ host, environment: {}, model, models: {}, guess: suggest, check: jsonSchemaIssues })
  return {
    configured: true,
    name: () => NAME,
    price: () => FREE,
    unpricedModels: () => [],
    generate: ({ model: _model, fallback: _fallback, ...request }, call) => models.generate(request, call),
  }
}

function isList(reply: ReplyScript | undefined): reply is readonly ScriptedReply[] {
  return Array.isArray(reply)
}

function noReply({ label = 'a request without a label' }: ModelRequest, names: readonly string[]): Error {
  const name = label.slice(label.lastIndexOf('/') + 1)
  return faults.make('R4020', `the script has no more replies for ${label}; it has replies for ${names.join(', ') || 'no node'}`, {
    fix: `add a reply: models: { ${JSON.stringify(name)}: '…' }`,
  })
}
