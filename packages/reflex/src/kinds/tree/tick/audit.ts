import type { Fault, JsonObject } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import type { ContractSource } from '../model/source.ts'
import { faults } from '../model/faults.ts'

interface Access {
  readonly reads: Set<string>
  readonly writes: Set<string>
}

/** Compares what nodes with a contract read and write with what they declare. Nodes without one cost nothing. */
export class Audit {
  readonly #emit: (type: string, payload: JsonObject) => void
  #access: Map<number, Access> | undefined

  constructor(emit: (type: string, payload: JsonObject) => void) {
    this.#emit = emit
  }

  enter({ index, compiled }: LaidNode): void {
    if (compiled.contract !== undefined) (this.#access ??= new Map()).set(index, { reads: new Set(), writes: new Set() })
  }
  read({ index }: LaidNode, key: string): void {
    this.#access?.get(index)?.reads.add(key)
  }
  wrote({ index }: LaidNode, key: string): void {
    this.#access?.get(index)?.writes.add(key)
  }

  /** Returns the first required input without a value. */
  missing({ compiled: { contract } }: LaidNode, board: { has(key: string): boolean }): string | undefined {
    if (contract === undefined) return undefined
    return [...Object.keys(contract.inputs ?? {}), ...Object.keys(contract.inouts ?? {})].find((key) => !board.has(key))
  }

  /** Reports undeclared accesses. Returns the first as a fault if the contract says that it fails the node. */
  leave(node: LaidNode): Fault | undefined {
    const access = this.#access?.get(node.index)
    const { contract } = node.compiled
    if (access === undefined || contract === undefined) return undefined
    this.#access?.delete(node.index)
    const readable = [contract.inputs, contract.optional_inputs, contract.inouts]
    const violations = [
      ...undeclared(node, 'R1222', access.reads, readable, 'reads'),
      ...undeclared(node, 'R1223', access.writes, [contract.outputs, contract.inouts], 'writes'),
    ]
    for (const { code, rule = '', data = {} } of violations)
      this.#emit('node.contract.violation', {
        node_id: node.id,
        violation_type: code === 'R1222' ? 'undeclared_read' : 'undeclared_write',
        code: rule,
        ...data,
      })
    return contract.on_violation === 'fail' ? violations[0] : undefined
  }
}

function* undeclared(
  node: LaidNode,
  code: 'R1222' | 'R1223',
  used: ReadonlySet<string>,
  declared: readonly ContractSource['inputs'][],
  verb: string,
): Generator<Fault> {
  const known = declared.flatMap((keys) => Object.keys(keys ?? {}))
  for (const key of used) {
    if (key.startsWith('_') || known.includes(key)) continue
    const rule = code === 'R1222' ? 'E2002' : 'E2003'
    yield faults.make(code, `${node.path} ${verb} ${key}, which its contract does not declare`, {
      rule,
      path: node.path,
      data: { key, declared_keys: known },
    })
  }
}
