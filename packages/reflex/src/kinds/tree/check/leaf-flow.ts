import { isList, type Json } from '../../../kernel/index.ts'
import type { Assignments } from '../compile/compiled.ts'
import { textOf } from '../model/text-of.ts'
import { interpolatedReferences } from '../nodes/interpolate.ts'
import { EVERYTHING, isNothing, meet, ofJson } from './domain.ts'
import { checkReference } from './reference-keys.ts'
import type { CheckedNode } from './subject.ts'
import type { LeafParts } from './leaf-parts.ts'
import type { Delta, Ends } from './values-at.ts'
import { ownWrites } from './writes.ts'

/** The types of nodes that replace `${bb.key}` in parameters. */
const INTERPOLATES = new Set(['tool', 'oracle', 'code_search', 'vault_search', 'call', 'ask', 'llm_call'])
/** Parameters without which a model is asked all the same. */
const OPTIONAL_KEYS = new Set(['tools_key', 'max_tokens_key'])

/** The reads and writes of leaves. */
export class LeafFlow {
  readonly #parts: LeafParts

  constructor(parts: LeafParts) {
    this.#parts = parts
  }

  /** Reports what a node reads before it is ticked: the inputs of its contract, its keys, and the references in its parameters. */
  readInputs(checked: CheckedNode): void {
    const { reads, values, findings } = this.#parts
    const { manifest, params, contract, source } = checked.node
    for (const key of Object.keys({ ...contract?.inputs, ...contract?.inouts })) {
      if (!values.known(key).isMissing) continue
      findings.add('R1288', checked, key, () => ({
        message: `${source.id} needs the input ${key}, and nothing before it gives it a value`,
        note: `${key} has no value here`,
        fix: `write ${key} before, or declare it in optional_inputs`,
        data: { key },
      }))
    }
    for (const { name, type, flow } of manifest.parameters) {
      const key = params[name]
      if (type === 'key' && (flow === 'in' || flow === 'inout') && key !== undefined)
        reads.read(checked, textOf(key), OPTIONAL_KEYS.has(name) ? 'test' : 'strict', name)
      if (type !== 'key' && key !== undefined && INTERPOLATES.has(manifest.type)) this.#references(checked, name, key)
    }
    if (manifest.type === 'script') this.#parts.conditions.readScript(checked, textOf(params.code), 'code')
  }

  #references(checked: CheckedNode, parameter: string, value: Json): void {
    for (const { key, hasDefault } of interpolatedReferences(value))
      this.#parts.reads.read(checked, key, hasDefault ? 'test' : 'strict', parameter)
  }

  visit(checked: CheckedNode): Ends {
    switch (checked.node.manifest.type) {
      case 'succeed':
      case 'wait':
        return { success: this.#here(() => undefined), failure: undefined }
      case 'fail':
        return { success: undefined, failure: this.#here(() => undefined) }
      case 'condition':
        return this.#condition(checked)
      case 'set':
        return this.#set(checked)
      case 'subtree_ref':
        checkReference(checked, this.#parts)
        return this.#writes(checked)
      default:
        return this.#writes(checked)
    }
  }

  /** Returns what something changes, and takes it back. */
  #here(work: () => void): Delta {
    const { values } = this.#parts
    const mark = values.mark()
    work()
    const delta = values.since(mark)
    values.undo(mark)
    return delta
  }

  #condition(checked: CheckedNode): Ends {
    const judged = this.#parts.conditions.judgeParameter(checked)
    const after = (truth: boolean): Delta | undefined => {
      let isPossible = truth ? judged.canBeTrue : judged.canBeFalse
      const delta = this.#here(() => {
        isPossible &&= judged.assume(truth)
      })
      return isPossible ? delta : undefined
    }
    return { success: after(true), failure: after(false) }
  }

  #set(checked: CheckedNode): Ends {
    const { tree, values, conditions, findings } = this.#parts
    const { key, expression, value, global: isGlobal } = checked.node.params
    const name = textOf(key)
    const code = expression === undefined ? undefined : tree.code.get(JSON.stringify(textOf(expression)))
    const given =
      code?.is === 'expression'
        ? conditions.value(checked, 'expression', code)
        : { value: value === undefined ? EVERYTHING : ofJson(value), canFail: false }
    const schema = tree.schemas.get(name)
    const isRefused = value !== undefined && schema?.validate(value).issues !== undefined
    const fits = value === undefined ? meet(given.value, values.schema(name)) : given.value
    if (isRefused || isNothing(fits)) {
      findings.add('R1285', checked, name, () => ({
        message: `${checked.node.source.id} writes to ${name} a value that its type ${schema?.name ?? 'any'} refuses`,
        note: `${name} is ${schema?.name ?? 'any'}`,
        parameter: value === undefined ? 'expression' : 'value',
        fix: `write a value of the type ${schema?.name ?? 'any'}, or change the type of ${name}`,
        data: { key: name },
      }))
      return { success: undefined, failure: this.#here(() => undefined) }
    }
    const isSure = value !== undefined && !isGlobal
    return {
      success: this.#here(() => values.write(name, isGlobal === true ? undefined : fits)),
      failure: isSure ? undefined : this.#here(() => undefined),
    }
  }

  #writes({ node }: CheckedNode): Ends {
    const { values, treeOf } = this.#parts
    const { onSuccess, onFailure, isOpaque } = ownWrites(node, treeOf)
    const { params, manifest } = node
    const canFail = manifest.type !== 'ask' || isList(params.fail_on) || params.timeout !== undefined
    return {
      success: this.#here(() => {
        values.runCode(isOpaque ? 2 : 0)
        for (const key of onSuccess) values.write(key)
      }),
      failure: canFail
        ? this.#here(() => {
            values.runCode(isOpaque ? 2 : 0)
            values.blur({ keys: new Set(onFailure), isOpaque: false })
          })
        : undefined,
    }
  }

  /** Evaluates assignments after the end of a node. */
  assign(checked: CheckedNode, assignments: Assignments): void {
    for (const [key, code] of assignments) {
      const { value } = this.#parts.conditions.value(checked, 'on_success', code)
      this.#parts.values.write(key, isNothing(value) ? undefined : value)
    }
  }
}
