import type { NodeState, Picture, PictureNode } from './picture.ts'

/** The fill of a node by its state. */
const FILLS: Readonly<Record<NodeState, string>> = {
  passed: 'palegreen',
  running: 'lightblue',
  asks: 'gold',
  waits: 'khaki',
  failed: 'lightpink',
  held: 'gainsboro',
}
const SHAPES: Readonly<Record<PictureNode['form'], string>> = { step: 'box', choice: 'diamond', question: 'hexagon', call: 'component' }

/** Returns pictures as one graph in the DOT language, for Graphviz. Every name is quoted. */
export function dotOf(pictures: readonly Picture[]): string {
  const clusters = pictures.map(({ program, nodes, edges }, i) => {
    const id = (node: string): string => quoted(pictures.length === 1 ? node : `${i}:${node}`)
    const lines = [
      `label=${quoted(program)}`,
      ...nodes.map((node) => `${id(node.id)} [${attributes({ label: node.name, shape: SHAPES[node.form], ...fillOf(node.standing) })}]`),
      ...edges.map(({ from, to, label = '', standing }) => {
        const style = standing === 'taken' ? 'bold' : standing === 'closed' ? 'dotted' : 'solid'
        return `${id(from)} -> ${id(to)} [${attributes({ label, style })}]`
      }),
    ]
    return [`  subgraph ${quoted(`cluster_${i}`)} {`, ...lines.map((line) => `    ${line}`), '  }']
  })
  return ['digraph {', ...clusters.flat(), '}', ''].join('\n')
}

function fillOf(standing: NodeState | undefined): Readonly<Record<string, string>> {
  return standing === undefined ? {} : { style: 'filled', fillcolor: FILLS[standing] }
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(', ')
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
