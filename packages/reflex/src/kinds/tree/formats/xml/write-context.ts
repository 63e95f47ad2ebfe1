import type { Fault } from '../../../../kernel/index.ts'
import { faults } from '../../model/faults.ts'
import type { NodeSource } from '../../model/source.ts'
import type { NodeModel, PortModel } from './models.ts'
import type { PaletteEntry } from './palette.ts'
import { Unsayable } from './script-write.ts'

export type Attributes = readonly (readonly [name: string, value: string])[]

/** The names and the findings that all elements of a document share. */
export class WriteContext {
  readonly palette: ReadonlyMap<string, PaletteEntry>
  readonly findings: Fault[] = []
  readonly models = new Map<string, NodeModel>()
  readonly #file: string | undefined
  /** Returns the type of C++ of a key of the tree that is written. */
  typeOf: (key: string) => string | undefined = () => undefined

  constructor(palette: ReadonlyMap<string, PaletteEntry>, file: string | undefined) {
    this.palette = palette
    this.#file = file
  }

  /** Returns what `write` returns; undefined and a finding if XML cannot say it. */
  tryTo<T>(node: NodeSource, write: () => T): T | undefined {
    try {
      return write()
    } catch (thrown) {
      if (!(thrown instanceof Unsayable)) throw thrown
      return this.refuse(node, `XML cannot say ${node.id}: ${thrown.message}`)
    }
  }

  refuse(node: { readonly line?: number | undefined } | undefined, message: string): undefined {
    this.findings.push(faults.finding('R1208', message, this.#place(node)))
  }

  /** Reports what is lost and changes nothing that the tree does. */
  warn(node: { readonly line?: number | undefined } | undefined, message: string): void {
    this.findings.push(faults.finding('R1208', message, { ...this.#place(node), severity: 'warning' }))
  }

  #place(node: { readonly line?: number | undefined } | undefined): { readonly file?: string; readonly line?: number } {
    return {
      ...(this.#file === undefined ? {} : { file: this.#file }),
      ...(node?.line === undefined ? {} : { line: node.line }),
    }
  }

  /** Notes a port of a leaf of a program, for the models. */
  port(kind: string, id: string, name: string, flow: PortModel['flow'], type: string | undefined): void {
    const model = this.models.get(id) ?? { kind, ports: new Map<string, PortModel>() }
    const known = model.ports.get(name)
    const both = known === undefined || known.flow === flow ? flow : 'inout'
    const ports = new Map(model.ports).set(name, { flow: both, type: known === undefined || known.type === type ? type : undefined })
    this.models.set(id, { kind: model.kind, ports })
  }

  /** Notes a leaf that has no ports. */
  model(kind: string, id: string): void {
    if (!this.models.has(id)) this.models.set(id, { kind, ports: new Map() })
  }
}
