import type { Fault } from '../../../../kernel/index.ts'
import { quote } from '../../../../text/index.ts'
import { faults } from '../../model/faults.ts'
import { placeOf, type XmlDocument, type XmlElement } from './elements.ts'

/** A port of a model. */
export interface PortModel {
  readonly flow: 'in' | 'out' | 'inout'
  /** Its type in C++. */
  readonly type?: string | undefined
  /** The value of a node that does not have the port: a literal or `{key}`. */
  readonly default?: string | undefined
}

/** A node of a program in C++, as `TreeNodesModel` describes it. */
export interface NodeModel {
  readonly kind: string
  readonly ports: ReadonlyMap<string, PortModel>
}

const KINDS: readonly string[] = ['Action', 'Condition', 'Control', 'Decorator', 'SubTree']
const FLOWS: ReadonlyMap<string, PortModel['flow']> = new Map([
  ['input_port', 'in'],
  ['output_port', 'out'],
  ['inout_port', 'inout'],
])

/** Reads the models of a document, by their names. */
export function readModels({ source, root }: XmlDocument, findings: Fault[]): ReadonlyMap<string, NodeModel> {
  const models = new Map<string, NodeModel>()
  const found = root?.children.filter(({ name }) => name === 'TreeNodesModel').flatMap(({ children }) => children) ?? []
  for (const element of found) {
    const id = element.attributes.get('ID')?.value
    const refuse = (message: string, at = element): void => {
      findings.push(faults.finding('R1205', message, placeOf(source, at)))
    }
    if (!KINDS.includes(element.name)) refuse(`TreeNodesModel has no ${element.name}; it has ${KINDS.join(', ')}`)
    else if (id === undefined || id === '') refuse('the model has no ID')
    else if (models.has(id)) refuse(`there are two models of ${quote(id)}`)
    else models.set(id, { kind: element.name, ports: portsOf(element, refuse) })
  }
  return models
}

function portsOf(model: XmlElement, refuse: (message: string, at: XmlElement) => void): ReadonlyMap<string, PortModel> {
  const ports = new Map<string, PortModel>()
  for (const element of model.children) {
    const flow = FLOWS.get(element.name)
    const name = element.attributes.get('name')?.value
    if (element.name === 'MetadataFields') continue
    if (flow === undefined) refuse(`a model has no ${element.name}; it has input_port, output_port and inout_port`, element)
    else if (name === undefined || name === '') refuse('the port has no name', element)
    else ports.set(name, { flow, type: element.attributes.get('type')?.value, default: element.attributes.get('default')?.value })
  }
  return ports
}
