import { type Fault, isObject } from '../../../kernel/index.ts'
import { didYouMean, suggest } from '../../../text/index.ts'
import type { CompiledNode, CompiledTree } from '../compile/compiled.ts'
import { faults } from '../model/faults.ts'
import { type FunctionRegistry, functionEntry, unknownFunction } from '../tick/function-port.ts'

/** What a host knows that trees may name. */
export interface TreeReaderHost {
  readonly functions: FunctionRegistry
  readonly tools: () => readonly string[]
}

/** Returns a fault for each name of a function or tool that the host does not know (E4003). */
export function unknownNames({ root, source }: CompiledTree, host: TreeReaderHost): Fault[] {
  return [...nodesOf(root)].flatMap((node) => {
    const place = { file: source.file, line: node.source.line, path: node.source.id }
    return namesOf(node).flatMap(([is, name]) => {
      if (is === 'function') return functionEntry(host.functions, name) === undefined ? [unknownFunction(host.functions, name, place)] : []
      const tools = host.tools()
      return tools.includes(name) ? [] : [unknownTool(name, tools, place)]
    })
  })
}

function* nodesOf(node: CompiledNode): Generator<CompiledNode> {
  yield node
  for (const child of node.children) yield* nodesOf(child)
}

function namesOf({ manifest, params }: CompiledNode): (readonly ['function' | 'tool', string])[] {
  const names: (readonly ['function' | 'tool', string])[] = []
  for (const { name, type } of manifest.parameters) {
    const value = params[name]
    if (type === 'function' && typeof value === 'string') names.push(['function', value])
    if (type === 'tool' && typeof value === 'string') names.push(['tool', value])
    if (type === 'condition' && isObject(value) && typeof value.fn === 'string') names.push(['function', value.fn])
  }
  return names
}

function unknownTool(name: string, tools: readonly string[], place: object): Fault {
  const hint = didYouMean(suggest(name, tools))
  return faults.make('R1203', `there is no tool ${name}${hint === undefined ? '' : `; ${hint}`}`, {
    rule: 'E4003',
    ...place,
    data: { fn_path: name, available_modules: tools.slice(0, 10) },
  })
}
