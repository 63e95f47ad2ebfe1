import type { Fault } from '../../../kernel/index.ts'
import { didYouMean, type JsonText, type Locator, type Path, quote, quoteAll, type Suggester, suggester } from '../../../text/index.ts'
import { isVersion } from '../manifests/version.ts'
import type { ClusterDefinition, ClusterEdge, ClusterNode, ClusterParameter, DeclaredSignature, PortRef } from '../model/document.ts'
import type { ParameterValue } from '../model/manifest.ts'
import type { PortType } from '../model/value.ts'
import { documentFaults } from './faults.ts'
import { nameProblem, portProblem } from './names.ts'
import { type Part, splitEdge, splitPort, splitTarget } from './references.ts'

type PortJson = { readonly node: string; readonly port: string }
type EdgeJson = string | readonly [string, string] | { readonly from: PortJson | { readonly external: string }; readonly to: PortJson }

/** A document of the right shape, as in a file. */
export interface ClusterJson {
  readonly id: string
  readonly version: string | number
  readonly about?: string
  readonly inputs?: readonly { readonly name: string; readonly type: PortType; readonly required?: boolean }[]
  readonly parameters?: readonly (Omit<ClusterParameter, 'required'> & { readonly required?: boolean })[]
  readonly nodes: Readonly<Record<string, NodeJson>>
  readonly edges?: readonly EdgeJson[]
  readonly outputs?: Readonly<Record<string, string>>
  readonly declared_signature?: DeclaredSignature
}

interface NodeJson {
  readonly impl?: string
  readonly cluster?: string
  readonly params?: Readonly<Record<string, ParameterValue | { readonly exposed: string }>>
}

/** Returns the definition of a document of the right shape, and what is wrong with its names and references. It can be used without findings. */
export function decodeCluster(
  file: ClusterJson,
  locate: Locator,
  json?: JsonText,
): { readonly definition: ClusterDefinition; readonly findings: readonly Fault[] } {
  const decoder = new Decoder(file, locate)
  return { definition: decoder.cluster(versionText(file.version, json)), findings: decoder.findings }
}

/** Returns the version as it is written: the number 1.10 is 1.1 as a value. */
function versionText(version: string | number, json: JsonText | undefined): string {
  if (typeof version === 'string' || json === undefined) return String(version)
  const { offset, length } = json.place(['version'])
  return json.source.text.slice(offset, offset + length)
}

class Decoder {
  readonly findings: Fault[] = []
  readonly #file: ClusterJson
  readonly #locate: Locator
  readonly #inputs: ReadonlySet<string>
  readonly #suggest: Suggester

  constructor(file: ClusterJson, locate: Locator) {
    this.#file = file
    this.#locate = locate
    this.#inputs = new Set(file.inputs?.map(({ name }) => name))
    this.#suggest = suggester(this.#inputs)
  }

  cluster(version: string): ClusterDefinition {
    const { id, about, inputs = [], parameters = [], nodes, edges = [], outputs = {}, declared_signature: signature } = this.#file
    this.#name('id', id, ['id'])
    return {
      id,
      version: this.#version(version),
      ...(about === undefined ? {} : { about }),
      inputs: inputs.map(({ name, type, required = true }, i) => {
        this.#name('input', name, ['inputs', i, 'name'])
        return { name, type, required }
      }),
      parameters: parameters.map((parameter, i) => {
        this.#name('parameter', parameter.name, ['parameters', i, 'name'])
        return { ...parameter, required: parameter.required ?? parameter.default === undefined }
      }),
      nodes: Object.entries(nodes).map(([name, node]) => this.#node(name, node)),
      edges: edges.map((edge, i) => this.#edge(edge, i)),
      outputs: Object.entries(outputs).map(([name, text]) => {
        this.#name('output', name, ['outputs', name], 'key')
        return { name, from: this.#port({ text, offset: 0 }, ['outputs', name], 'output') }
      }),
      ...(signature === undefined ? {} : { declaredSignature: signature }),
    }
  }

  #version(text: string): string {
    const version = /^\d+$/.test(text) ? `${text}.0.0` : /^\d+\.\d+$/.test(text) ? `${text}.0` : text
    if (!isVersion(version))
      this.#find('R1303', `${quote(text)} is not a version`, ['version'], { fix: 'write three numbers: "1.0.0"', note: 'no version' })
    return version
  }

  #node(name: string, node: NodeJson): ClusterNode {
    this.#name('node', name, ['nodes', name], 'key')
    const { impl, cluster, params = {} } = node
    if ((impl === undefined) === (cluster === undefined)) {
      const has = impl === undefined ? 'neither "impl" nor "cluster"' : 'both "impl" and "cluster"'
      this.#find('R1304', `node ${quote(name)} has ${has}`, ['nodes', name], {
        fix: impl === undefined ? 'add "impl" with a primitive, or "cluster"' : 'remove one of them',
      })
    }
    const { id, selector } = splitTarget(impl ?? cluster ?? '')
    if (impl !== undefined || cluster !== undefined) this.#name(`target of node ${quote(name)}`, id.text, ['nodes', name, 'target'])
    return { id: name, is: impl === undefined ? 'cluster' : 'impl', target: id.text, selector: selector.text, params: { ...params } }
  }

  #edge(edge: EdgeJson, index: number): ClusterEdge {
    const path = ['edges', index]
    const ends = typeof edge === 'string' ? splitEdge(edge) : isPair(edge) ? pairEnds(edge) : undefined
    if (ends !== undefined) return { from: this.#from(ends[0], path), to: this.#port(ends[1], [...path, 'to'], 'edge') }
    if (typeof edge === 'string' || isPair(edge)) {
      this.#find('R1301', `the edge ${quote(String(edge))} does not have two ends`, path, { fix: 'write "node.port -> node.port"' })
      return { from: NO_PORT, to: NO_PORT }
    }
    const { from, to } = edge
    if ('external' in from) this.#input(from.external, [...path, 'from'])
    else this.#ref(from, [...path, 'from'])
    this.#ref(to, [...path, 'to'])
    return { from: { ...from }, to: { ...to } }
  }

  #from(end: Part, path: Path): ClusterEdge['from'] {
    if (!end.text.startsWith('$')) return this.#port(end, [...path, 'from'], 'edge')
    const name = end.text.slice(1)
    this.#input(name, [...path, 'from'])
    return { external: name }
  }

  #port(part: Part, path: Path, of: 'edge' | 'output'): PortRef {
    if (of === 'edge' && part.text.startsWith('$')) {
      const fix = 'an edge can only leave an input; write "node.port"'
      this.#find('R1305', `an edge leads into the input ${quote(part.text)}`, path, { fix })
      return NO_PORT
    }
    const split = splitPort(part)
    if (split === undefined) {
      this.#find('R1301', `${quote(part.text)} names no port`, path, {
        fix: `write "${part.text === '' ? 'node' : part.text}.port"`,
        note: 'no port',
      })
      return NO_PORT
    }
    const ref = { node: split.node.text, port: split.port.text }
    this.#ref(ref, path)
    return ref
  }

  #ref({ node, port }: PortRef, path: Path): void {
    this.#name('node of a port', node, [...path, 'node'])
    const problem = portProblem(port)
    if (problem !== undefined) this.#find('R1301', `the port ${problem}`, [...path, 'port'], { fix: 'write "node.port"' })
  }

  #input(name: string, path: Path): void {
    if (this.#inputs.has(name)) return
    const guess = this.#suggest(name)
    const known =
      this.#inputs.size === 0 ? 'declare it in "inputs"' : `declare it in "inputs", or write one of ${quoteAll([...this.#inputs])}`
    this.#find('R1305', `the input ${quote(name)} is not declared`, path, {
      note: didYouMean(guess),
      fix: guess === undefined ? known : `write ${quote(guess)}`,
    })
  }

  #name(of: string, name: string, path: Path, part: 'key' | 'value' = 'value'): void {
    const problem = nameProblem(name)
    if (problem !== undefined) this.#find('R1300', `the ${NAMED[of] ?? of} ${problem}`, path, { part, fix: 'rename it' })
  }

  #find(
    code: Parameters<typeof documentFaults.finding>[0],
    message: string,
    path: Path,
    { fix, note, part }: { readonly fix: string; readonly note?: string | undefined; readonly part?: 'key' | 'value' },
  ): void {
    this.findings.push(documentFaults.finding(code, message, { ...this.#locate(path, { note, part }), fix }))
  }
}

const NO_PORT: PortRef = { node: '', port: '' }
const NAMED: Readonly<Record<string, string>> = {
  id: 'id',
  input: 'name of an input',
  parameter: 'name of a parameter',
  node: 'name of a node',
  output: 'name of an output',
}

function isPair(edge: Exclude<EdgeJson, string>): edge is readonly [string, string] {
  return Array.isArray(edge)
}

function pairEnds([from, to]: readonly [string, string]): readonly [Part, Part] {
  return [
    { text: from.trim(), offset: from.length - from.trimStart().length },
    { text: to.trim(), offset: to.length - to.trimStart().length },
  ]
}
