import behaviortree from 'behaviortree'
import { BehaviourTree, type RootNodeDefinition, State } from 'mistreevous'
import { branches, type Shape } from '../trees/hundred.ts'

/** A peer: ticks the tree of 100 once. Its root answers with each tick, and the next one begins it again. */
export interface TreePeer {
  readonly name: string
  tick(): void
}

type Definition = { readonly type: string; readonly [key: string]: unknown }

/** The same tree, with the same work in its leaves, in the libraries that others use. */
export function treePeers(): readonly TreePeer[] {
  return [mistreevous(), behaviortreePeer()]
}

function mistreevous(): TreePeer {
  let count = 0
  const shape: Shape<Definition> = {
    sequence: (children) => ({ type: 'sequence', children }),
    selector: (children) => ({ type: 'selector', children }),
    alwaysSucceed: (child) => ({ type: 'succeed', child }),
    steady: () => ({ type: 'action', call: 'steady' }),
    turning: (phase) => ({ type: 'action', call: 'turning', args: [phase] }),
  }
  const child = shape.sequence([...branches(shape), shape.steady()])
  const agent = { steady: () => State.SUCCEEDED, turning: (phase: number) => (count % 2 === phase ? State.SUCCEEDED : State.FAILED) }
  const tree = new BehaviourTree({ type: 'root', child } as unknown as RootNodeDefinition, agent)
  return {
    name: 'mistreevous 4.3',
    tick() {
      count++
      tree.step()
      if (tree.getState() !== State.SUCCEEDED) throw new Error(`mistreevous has ${tree.getState()}`)
    },
  }
}

function behaviortreePeer(): TreePeer {
  const { BehaviorTree, FAILURE, Selector, Sequence, SUCCESS, Task, decorators } = behaviortree
  let count = 0
  const shape: Shape<object> = {
    sequence: (nodes) => new Sequence({ nodes }),
    selector: (nodes) => new Selector({ nodes }),
    alwaysSucceed: (node) => new decorators.AlwaysSucceedDecorator({ node }),
    steady: () => new Task({ run: () => SUCCESS }),
    turning: (phase) => new Task({ run: () => (count % 2 === phase ? SUCCESS : FAILURE) }),
  }
  const tree = new BehaviorTree({ tree: shape.sequence([...branches(shape), shape.steady()]), blackboard: {} })
  return {
    name: 'behaviortree 2.1',
    tick() {
      count++
      tree.step()
    },
  }
}
