import type { JsonObject } from '../../../kernel/index.ts'
import type { ClusterDefinition, ClusterEdge, PortRef } from '../model/document.ts'

/** Returns a definition as the JSON of its document: edges as texts, absent parts left out. Read again, it is the same definition. */
export function definitionJson(definition: ClusterDefinition): JsonObject {
  const { id, version, about, inputs, parameters, nodes, edges, outputs, declaredSignature } = definition
  return {
    kind: 'cluster',
    id,
    version,
    ...(about === undefined ? {} : { about }),
    ...(inputs.length === 0
      ? {}
      : { inputs: inputs.map(({ name, type, required }) => (required ? { name, type } : { name, type, required })) }),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(({ required, ...rest }) => writeParameter(rest, required)) }),
    nodes: Object.fromEntries(
      nodes.map(({ id: name, is, target, selector, params }) => [
        name,
        { [is]: `${target}@${selector}`, ...(Object.keys(params).length === 0 ? {} : { params }) },
      ]),
    ),
    ...(edges.length === 0 ? {} : { edges: edges.map(edgeText) }),
    ...(outputs.length === 0 ? {} : { outputs: Object.fromEntries(outputs.map(({ name, from }) => [name, portText(from)])) }),
    ...(declaredSignature === undefined ? {} : { declared_signature: declaredSignature }),
  } as unknown as JsonObject
}

/** Returns an edge as people write it: `a.port -> b.port`, `$input -> b.port`. */
export function edgeText({ from, to }: ClusterEdge): string {
  return `${'external' in from ? `$${from.external}` : portText(from)} -> ${portText(to)}`
}

/** Returns a port as people write it: `node.port`. */
export function portText({ node, port }: PortRef): string {
  return `${node}.${port}`
}

/** Leaves out `required` where it says what the default says. */
function writeParameter(parameter: object, required: boolean | undefined): object {
  return required === !('default' in parameter) ? parameter : { ...parameter, required }
}
