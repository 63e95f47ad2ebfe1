import type { Json } from '../../../../kernel/journal/json.ts'
import { textOf } from '../../dot/graph.ts'
import { renderText } from '../../language/render.ts'
import type { Handler } from '../../contract/handler.ts'
import { success } from '../../contract/outcome.ts'

/** A start writes what its attributes `context.<key>` and `init.<key>` say, and nothing else (reference pipeline 4.2). */
export const start: Handler = ({ attributes }) => {
  const values = [...attributes].flatMap(([key, { value }]): [string, Json][] => {
    const [prefix, name] = [key.slice(0, key.indexOf('.') + 1), key.slice(key.indexOf('.') + 1)]
    return prefix === 'context.' || prefix === 'init.' ? [[name, value]] : []
  })
  return success(values.length === 0 ? undefined : Object.fromEntries(values))
}

/** An exit does nothing: its goal gates were asked before (reference pipeline 3.2, step 3). */
export const exit: Handler = () => success(undefined, { notes: 'Pipeline completed' })

/**
 * A branch changes nothing: its edges decide. `condition_key` names a value that edges without a condition can carry as
 * their label (reference pipeline 4.2).
 */
export const branch: Handler = (context) => {
  const key = textOf(context.attributes, 'condition_key')
  if (key === undefined) return success()
  const value = context.get(key) ?? null
  const label = renderText(value)
  return success({ [`branch.${context.node.id}.value`]: value }, label === '' ? {} : { preferred_label: label })
}
