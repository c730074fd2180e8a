"""The parts of the pick that are about gold questions: nothing that somebody is given tells which card is one."""

# What a gold question `i` must be beside that, so that no source tells it. Whoever met its source (wrote for it, was
# given it, or an item of it) knows that this one comes back without reason: they never get it. Whoever gets it can meet
# its source again, on an item that waits for votes, unless its source has one item, as others have. Each is a subselect
# of its own and no join: it reads the few items of one source, however much the person did.
SOURCE_TELLS_NOTHING = """
    AND (SELECT COUNT(*) FROM annotation_item f WHERE f.family = i.family AND f.id <> i.id AND (f.author_id = %(who)s
      OR (SELECT COUNT(*) FROM validation_assignment m WHERE m.item_id = f.id AND m.annotator_id = %(who)s) > 0)) = 0
    AND (SELECT COUNT(*) FROM annotation_allocation h WHERE h.writer_id = %(who)s
      AND (h.premise_id = i.family OR h.concept_id = i.family)) = 0
    AND (SELECT MAX(f.slots_free) > 0 OR COUNT(*) = 1 FROM annotation_item f
      WHERE f.family = i.family AND f.target_id = %(target)s)"""

# A gold question is taken only where an ordinary card would be: what comes when nothing else does tells what it is. The
# statement is the same whether one is due or not, and so is how long it is planned.
SELECT_WITH_GOLD = """WITH ordinary AS ({ordinary}) SELECT * FROM ordinary UNION ALL
  SELECT * FROM ({bucket}) gold WHERE %(due)s AND EXISTS (SELECT 1 FROM ordinary)"""
