import { isFault } from '../../../kernel/index.ts'
import { loadError, namedError } from '../board/errors.ts'
import type { TreeSource } from '../model/source.ts'
import { BehaviorTree } from './behavior-tree.ts'
import { compileSource, type TreeHost } from './tree-host.ts'
import { type KnownTrees, TreeValidator } from './tree-validator.ts'

/** Makes trees of definitions (seed tree 2.6). References are resolved in a registry. */
export class TreeBuilder {
  readonly #registry: KnownTrees
  readonly #host: TreeHost
  readonly #validator: TreeValidator

  /** `registry`: where references find their trees, when a tree is built and, if they are lazy, when they are ticked. */
  constructor(registry: KnownTrees, host: TreeHost = {}) {
    this.#registry = registry
    this.#host = host
    this.#validator = new TreeValidator(host)
  }

  /**
   * Makes a tree. Throws everything that is wrong with it as one error of the class of its first mistake, with all of them as `errors`:
   * `SubtreeNotFoundError` (R1204), `FunctionNotFoundError` (R1203), `SchemaValidationError`, or `TreeDefinitionError` (R1202).
   */
  build(definition: TreeSource): BehaviorTree {
    const [first, ...rest] = this.#validator.validate(definition, this.#registry)
    if (first !== undefined) throw loadError([first, ...rest])
    const find: TreeHost['find'] = (name) => {
      const source = this.#registry.definition(name)
      return source === undefined ? undefined : compileSource(source, this.#host)
    }
    try {
      return new BehaviorTree(definition, { ...this.#host, find })
    } catch (thrown) {
      throw isFault(thrown) ? namedError(thrown) : thrown
    }
  }
}
