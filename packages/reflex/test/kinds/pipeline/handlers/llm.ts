import { type Json, type JsonObject, type Port, Fault } from '../../../../src/kernel/index.ts'
import type { ModelMessage, ModelReply, ModelRequest, ToolCall } from '../../../../src/models/index.ts'
import { requestOfCall } from '../../../../src/kinds/pipeline/contract/conversation.ts'
import { offersPort } from '../../../../src/kinds/pipeline/engine/offers.ts'
import { type Tool, toolPort, Tools } from '../../../../src/tools/index.ts'
import { runDot, type Went, type World } from '../engine/harness.ts'

/** What a scripted model answers: text, calls of tools, a part of a reply, or a failure. */
export type Said = string | Partial<ModelReply> | Fault

/** A model that answers by a function of the request and the number of the question, from 0. */
export function model(answer: (request: ModelRequest, n: number) => Said): { readonly port: Port; readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  const port: Port = {
    leaves: false,
    repeat: 'free',
    perform(call) {
      const request = requestOfCall(call) as unknown as ModelRequest
      requests.push(request)
      const said = answer(request, requests.length - 1)
      if (said instanceof Fault) throw said
      const reply = typeof said === 'string' ? { text: said } : said
      const finish = reply.calls === undefined ? 'stop' : 'tools'
      return { text: '', model: 'acme:one', finish, usage: { input: 10, output: 5 }, tries: 1, ...reply }
    },
  }
  return { port, requests }
}

/** Calls of tools by name, each with an id of its own. */
export function calls(...made: readonly (readonly [name: string, args: JsonObject])[]): Partial<ModelReply> {
  return { calls: made.map(([name, args], i): ToolCall => ({ id: `call_${i + 1}`, name, args })) }
}

/** The ports of a world with these tools, of which those that are refused by name are. */
export function toolPorts(tools: readonly Tool[], refused: readonly string[] = []): Readonly<Record<string, Port>> {
  const registry = new Tools(tools)
  const allows = (capability: string): boolean => !refused.some((name) => capability === `arbor://tool/${name}`)
  return {
    offers: offersPort(registry, (_, capability) => allows(capability)),
    tool: toolPort({
      tools: registry,
      place: () => ({ workdir: '/work', runFolder: '/runs/r' }),
      allows: (_, capability) => allows(capability),
      denies: () => false,
    }),
  }
}

/** A tool that gives what a function makes of its arguments. */
export function tool(name: string, run: (args: JsonObject) => Json): Tool {
  return { name, description: `does ${name}`, leaves: false, repeat: 'free', run: (args) => run(args as JsonObject) }
}

export function text(request: ModelRequest | undefined, role: ModelMessage['role'] = 'user'): string {
  const last = request?.messages.findLast((message) => message.role === role)
  return last?.content ?? ''
}

/** Runs the nodes of a body between a start and an exit. */
export function run(body: string, port: Port, world: World = {}, graph = ''): Promise<Went> {
  const dot = `digraph g { ${graph} start [shape=Mdiamond] done [shape=Msquare] ${body} }`
  return runDot(dot, { ...world, ports: { model: port, ...world.ports } })
}
