import type { NamedChoice } from '../language/find-choice.ts'
import { type Attributes, textOf } from '../dot/graph.ts'
import { keyLabels } from '../language/edge-labels.ts'
import type { TypedEdge, TypedNode } from './typed.ts'

/** An edge as a choice of a person. */
export interface EdgeChoice extends NamedChoice {
  readonly edge: TypedEdge
  /** The label of the edge, with its key. */
  readonly fullLabel: string
}

type QuestionForm = 'multiple_choice' | 'yes_no' | 'freeform'

/** The values of `question_type`, with those of other implementations (reference pipeline 7.1). */
const FORMS: Readonly<Record<string, QuestionForm>> = {
  multiple_choice: 'multiple_choice',
  single_select: 'multiple_choice',
  multi_select: 'multiple_choice',
  yes_no: 'yes_no',
  confirmation: 'yes_no',
  confirm: 'yes_no',
  freeform: 'freeform',
  free_text: 'freeform',
}

export const YES_NO: readonly NamedChoice[] = [
  { key: 'Y', label: 'Yes', to: 'approve' },
  { key: 'N', label: 'No', to: 'reject' },
]

/** Returns the form of the question that a person gets at a node. */
export function questionForm(
  { attributes, node }: { readonly attributes: Attributes; readonly node: TypedNode },
  edges: readonly TypedEdge[],
): QuestionForm {
  const word = textOf(attributes, 'question_type')?.trim().toLowerCase() ?? ''
  const unlabelled = edges.every(({ label }) => label === '')
  return (Object.hasOwn(FORMS, word) ? FORMS[word] : undefined) ?? (node.rawType === 'wait' && unlabelled ? 'yes_no' : 'multiple_choice')
}

/** Returns the choices of a person at a node. Undefined if any text is an answer. */
export function offeredChoices(node: TypedNode, edges: readonly TypedEdge[]): readonly NamedChoice[] | undefined {
  if (node.facts.form === 'approval') return YES_NO
  const form = questionForm({ attributes: node.node.attributes, node }, edges)
  if (form === 'freeform') return undefined
  return form === 'yes_no' ? YES_NO : edgeChoices(edges)
}

/** Returns edges as choices, in file order. Edges to the same node stay separate choices. */
export function edgeChoices(edges: readonly TypedEdge[]): readonly EdgeChoice[] {
  const labels = edges.map(({ label, edge }) => (label === '' ? edge.to : label))
  const keyed = keyLabels(labels)
  return edges.map((edge, i): EdgeChoice => {
    const { key = '', text = '' } = keyed[i] ?? {}
    const isFirst = keyed.findIndex((other) => other.text === text) === i
    return { edge, key, label: isFirst ? text : `${text} (${key})`, to: edge.edge.to, fullLabel: labels[i] ?? '' }
  })
}
