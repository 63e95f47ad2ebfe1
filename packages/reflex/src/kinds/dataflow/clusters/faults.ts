import { defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'

/** The faults of clusters: their definitions, versions, parameters, expansion and signature (R1310 to R1319). */
export const clusterFaults = defineFaults({
  R1310: {
    title: 'A cluster has no nodes',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow D.1', 'dataflow E.5'],
    means: 'A cluster without nodes computes nothing and gives nothing.',
    often: 'an unfinished file',
    fix: 'Add a node, or remove the cluster.',
  },
  R1311: {
    title: 'Two inputs or parameters of a cluster have one name',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow D.5', 'dataflow D.9'],
    means: 'Edges and bindings name them, so equal names cannot be told apart.',
    often: 'a copied line that was not changed',
    fix: 'Rename or remove one of them.',
  },
  R1312: {
    title: 'The default of a parameter does not fit',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow D.8'],
    means: 'A default has the type of its parameter. A derived key is a text, so only a String can have one, and it has a name.',
    fix: 'Write a default of the type that the parameter declares.',
  },
  R1313: {
    title: 'A parameter has no value',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow I.3'],
    means:
      'A parameter without a default needs a value: from the node that uses the primitive or cluster, or, for a graph, from its caller.',
    often: 'a parameter that was added later, a graph that is started without its parameters',
    fix: 'State the value, expose a parameter of the cluster around, or declare a default.',
  },
  R1314: {
    title: 'A parameter does not exist',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow I.5', 'dataflow I.7'],
    means:
      'A binding names a parameter of the primitive or cluster, and "exposed" names a parameter of the cluster around. There is none of this name.',
    often: 'a misspelt name, a parameter of another version',
    fix: 'Write the name of a parameter that exists, or declare it.',
  },
  R1315: {
    title: 'No version fits the selector',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow I.6'],
    means:
      'A selector is an exact version or a range, such as 0.1.0, ^1.2 or ">=1 <2", and the highest version in it is taken. Words such as "latest" are none, because the result would change without a change of the file.',
    often: 'a selector that was forgotten, a version that is not installed',
    fix: 'Write a range that contains an existing version.',
  },
  R1316: {
    title: 'A cluster does not exist',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow E.9'],
    means: 'The cluster is neither beside the file, nor in its folder "clusters", nor one of the ready-made clusters.',
    often: 'a misspelt id, a file with another name than its cluster',
    fix: 'Write the id of a cluster that exists, or add its file.',
  },
  R1317: {
    title: 'A cluster contains itself',
    verdict: 'fail',
    when: BEFORE,
    means: 'Clusters are replaced by their nodes before a run. One that contains itself would never be replaced completely.',
    often: 'a repetition; repetition comes from events, and memory from the context',
    fix: 'Remove one of the nodes that the message names.',
  },
  R1318: {
    title: 'A graph is too large',
    verdict: 'fail',
    when: BEFORE,
    means: 'A graph has at most 1,000,000 primitives after its clusters are expanded, in clusters that are nested at most 256 levels deep.',
    often: 'clusters that use each other several times: each level multiplies the nodes',
    fix: 'Use fewer instances, or compute with a Series in one node.',
  },
  R1319: {
    title: 'A cluster declares a signature that it does not have',
    verdict: 'fail',
    when: BEFORE,
    rules: ['dataflow D.10', 'dataflow D.11'],
    means:
      'The signature of a cluster follows from its nodes. A declaration is a promise to those who use it, so it cannot claim another one.',
    often: 'an output of an action that is declared as wireable, a port that was renamed',
    fix: 'Declare what the message says, or remove the declaration.',
  },
})
