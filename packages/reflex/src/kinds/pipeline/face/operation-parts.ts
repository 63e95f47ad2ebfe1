import type { Parts } from '../../../programs/part-help.ts'
import { operationHelp, operationNames } from './operation-help.ts'

/** The operations of pipelines as parts of programs. */
export const OPERATION_PARTS: Parts = {
  names: () => operationNames(),
  find(name) {
    const operation = operationHelp(name)
    if (operation === undefined) return undefined
    const { does, types, chosenBy, repeat, attributes } = operation
    return {
      name: operation.name,
      does,
      facts: [repeat],
      written: [...types.map((type) => `type=${type}`), ...chosenBy],
      attributes,
      document: { operation: { ...operation, attributes: attributes.map((one) => ({ ...one })) } },
    }
  },
}
