import { expand } from '../packages/reflex/src/kinds/dataflow/clusters/expand.ts'
import { ClusterLibrary } from '../packages/reflex/src/kinds/dataflow/clusters/library.ts'
import { STANDARD_CLUSTER_THEMES, standardClusters } from '../packages/reflex/src/kinds/dataflow/clusters/standard/standard-clusters.ts'
import { Catalog } from '../packages/reflex/src/kinds/dataflow/manifests/catalog.ts'
import type { ClusterDefinition, ClusterParameter } from '../packages/reflex/src/kinds/dataflow/model/document.ts'
import { STANDARD } from '../packages/reflex/src/kinds/dataflow/primitives/standard.ts'

const INTRODUCTION = `# Ready-made clusters of dataflows

A trigger has no memory. A graph remembers with an action that writes a key of the context, and a source that reads the key at the next
event. These clusters contain both, so that a graph does not have to. A node names one with its version:

\`\`\`json
{
  "id": "alerts",
  "version": "1.0.0",
  "nodes": {
    "cpu": { "impl": "context_number_source@^0.1", "params": { "key": "cpu" } },
    "hot": { "cluster": "hysteresis@^1", "params": { "high": 0.9, "low": 0.7 } },
    "rise": { "cluster": "rising-edge@^1" },
    "alert": { "impl": "annotate_action@^0.1", "params": { "note": "the machine is hot" } }
  },
  "edges": ["cpu.value -> hot.value", "hot.on -> rise.level", "rise.event -> alert.event"]
}
\`\`\`

Before a run each cluster is replaced by its primitives, as if they were written in the graph. In names, \`hot/on\` is the node \`on\` inside
\`hot\`.

- **State.** Each instance has keys of its own, such as \`__reflex/6:alerts/3:hot/2:on\`: the id of the graph, the node and the slot, each with
  its length. Two instances share their state if both bind the same key: \`"params": { "state_key": "hot" }\`. The adapter declares each key as
  writable and not required, and each kind of event that should see the state has it as an optional property.
- **The first event.** An absent key is false, 0 or an empty list. A level that is true at the first event is therefore a rising edge.
- **Bool and Event.** Inputs such as \`when\` and \`press\` are Bools. An output \`event\` goes to a trigger or an action; \`now\` is the same as a
  Bool, for computes and for other clusters.
- **Time** comes from the events: \`ts\` is a number of the payload, in any unit, and the parameter has the same unit. A debounce emits at an
  event after the quiet time, so it needs events that carry the time when nothing is pressed.
- **Writes** happen when something changes; \`count\`, \`every-nth\` and the windows write at each event at which \`when\` is true.

This page is made from the same documents that graphs use.
`

/** Every ready-made cluster by theme, from its document. */
export function dataflowClustersPage(): string {
  const library = new ClusterLibrary(standardClusters())
  const catalog = new Catalog(STANDARD)
  const lineOf = (id: string): string[] => {
    const source = library.get(id, library.versions(id).at(-1) ?? '')
    if (source === undefined) return []
    return [line(source.definition, expand(source, { clusters: library, catalog }).signature.outputs)]
  }
  return [
    INTRODUCTION,
    ...Object.entries(STANDARD_CLUSTER_THEMES).flatMap(([theme, documents]) => [
      `## ${theme}`,
      '',
      '| cluster | version | inputs | outputs | parameters | what it does |',
      '| --- | --- | --- | --- | --- | --- |',
      ...documents.flatMap(({ id }) => lineOf(id)),
      '',
    ]),
  ].join('\n')
}

interface Port {
  readonly name: string
  readonly type: string
}

function line({ id, version, about = '', inputs, parameters }: ClusterDefinition, outputs: readonly Port[]): string {
  const ports = (list: readonly Port[]) => list.map(({ name, type }) => `\`${name}\` ${type}`).join('<br>')
  return `| \`${id}\` | ${version} | ${ports(inputs)} | ${ports(outputs)} | ${parameters.map(parameterText).join('<br>')} | ${about}. |`
}

function parameterText({ name, type, default: usual }: ClusterParameter): string {
  if (typeof usual === 'object') return `\`${name}\` ${type}, a key of its own`
  return `\`${name}\` ${type}, ${usual === undefined ? 'required' : `default \`${JSON.stringify(usual)}\``}`
}
