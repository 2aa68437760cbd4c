"""The public verbs: one module, or one package where the verb needs several; they call the layers below in order and
take no part in each other except downwards.
"""
