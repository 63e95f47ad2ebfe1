import { isList, isObject, type Json, type Port } from '../../../../src/kernel/index.ts'
import { faults as modelFaults } from '../../../../src/models/faults.ts'
import type { ModelRequest } from '../../../../src/models/index.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { servicePort } from '../../../../src/kinds/pipeline/face/service-port.ts'
import type { Adapter } from '../../../../src/kinds/pipeline/contract/services.ts'
import { memoryStore } from '../../../../src/store/memory.ts'
import { faults as toolFaults } from '../../../../src/tools/faults.ts'

/** What a scripted model hears and is asked to answer. */
export interface Heard {
  readonly prompt: string
  readonly system: string
  readonly model: string | undefined
  readonly label: string
  readonly request: ModelRequest
}

/** A model that fails: for good, for now, or because it took too long. */
export const FAILS = { bad: 'R4007', busy: 'R4010', slow: 'R4013' } as const

export type Said = string | { readonly fails: keyof typeof FAILS }

/** Ports around a node: a scripted model, files in memory, ledgers of a store in memory, subjects of a host. */
export interface EvalWorld {
  readonly ports: Readonly<Record<string, Port>>
  readonly heard: readonly Heard[]
  readonly files: Map<string, string>
  ledger(name: string): Promise<readonly Json[]>
}

export interface EvalWorldOptions {
  readonly say?: (heard: Heard) => Said
  readonly files?: Readonly<Record<string, string>>
  readonly subjects?: Adapter
}

export function evalWorld({ say = () => 'fine', files: given = {}, subjects = {} }: EvalWorldOptions = {}): EvalWorld {
  const store = memoryStore()
  const heard: Heard[] = []
  const files = new Map(Object.entries(given))
  const model: Port = {
    leaves: false,
    repeat: 'free',
    perform({ args }) {
      const one = hearing(args as unknown as ModelRequest)
      heard.push(one)
      const said = say(one)
      if (typeof said !== 'string') throw modelFaults.make(FAILS[said.fails], `the model is ${said.fails}`)
      return { text: said, model: one.model ?? 'test:usual', finish: 'stop', usage: { input: 2, output: 3 }, tries: 1 }
    },
  }
  const ports = { model, tool: fileTools(files), ledger: ledgers(store), service: servicePort({ eval: subjects }, store) }
  return {
    ports,
    heard,
    files,
    ledger: async (name) => (await store.ledger(name, 0)).map(({ value = null }) => value),
  }
}

function hearing(request: ModelRequest): Heard {
  const said = (role: string): string => request.messages.flatMap((one) => (one.role === role ? [one.content ?? ''] : [])).join('\n')
  return { prompt: said('user'), system: said('system'), model: request.model, label: request.label ?? '', request }
}

/** `file.read` and `file.write`, as far as handlers see them. */
function fileTools(files: Map<string, string>): Port {
  return {
    leaves: true,
    repeat: 'keyed',
    perform(call) {
      const { tool, args } = isObject(call.args) ? call.args : {}
      const { path, text, append } = isObject(args) ? args : {}
      const name = renderText(path)
      if (tool === 'file.write') {
        files.set(name, (append === true ? (files.get(name) ?? '') : '') + renderText(text))
        return { path: name, bytes: 0, lines: 0 }
      }
      const found = files.get(name)
      if (found === undefined) throw toolFaults.make('R4106', `there is no ${name}`)
      return { path: name, text: found, bytes: found.length, lines: 1 }
    },
  }
}

function ledgers(store: ReturnType<typeof memoryStore>): Port {
  return {
    leaves: true,
    repeat: 'keyed',
    async perform(call) {
      const [operation, name, operand] = isList(call.args) ? call.args : []
      if (operation === 'append') return store.append(renderText(name), call.key, operand ?? null, 0)
      const entries = await store.ledger(renderText(name), typeof operand === 'number' ? operand : 0)
      return entries.map(({ seq, value = null }): Json => [seq, value])
    },
  }
}

/** One node between start and exit. */
export function around(node: string, graph = ''): string {
  return `digraph g { ${graph} start [shape=Mdiamond] n [${node}] done [shape=Msquare] start -> n -> done }`
}
